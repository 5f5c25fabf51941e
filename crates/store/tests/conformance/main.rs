//! One suite for every database: what the contract promises, as functions over a store; and what only one engine has.
#![expect(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test may stop at once"
)]

mod advice;
mod claims;
mod digests;
mod fixture;
mod interactions;
mod invariants;
mod lately;
mod log;
mod paging;
mod policy;
mod postgres;
mod power;
mod receipts;
mod runs;
mod secrets;
mod sqlite;
mod tokens;

/// Makes a test of each function of the suite, each on a store of its own. `$open` also gives what must outlive the store.
macro_rules! conformance {
    ($engine:ident, $open:expr) => {
        conformance! {
            $engine, $open;
            runs::{
                what_was_saved_is_loaded,
                a_run_that_never_was_is_none,
                a_step_after_a_stale_look_conflicts,
                a_run_starts_once,
                a_step_that_does_not_add_up_is_refused,
                what_could_not_be_read_again_is_never_saved,
                events_have_no_gaps_under_concurrent_savers,
                of_steps_that_come_together_each_fares_by_itself,
                of_runs_that_are_taken_together_each_has_its_own_claim,
                events_are_read_in_parts,
                events_know_their_step,
                a_summary_says_where_a_run_stands,
            }
            claims::{
                the_run_that_is_ready_longest_is_claimed_first,
                a_run_that_is_woken_queues_up_behind_those_before_it,
                a_run_that_stays_ready_keeps_its_place,
                a_waiting_run_is_never_claimed,
                a_claimed_run_is_claimed_once,
                of_many_claimers_each_gets_another_run,
                a_lease_that_ran_out_is_claimed_again_with_a_higher_fence,
                a_stale_worker_writes_nothing,
                a_lease_that_ran_out_unnoticed_still_holds,
                a_lease_is_gone_when_the_run_waits,
                an_answer_from_outside_leaves_the_lease_alone,
                a_released_run_is_claimed_again_at_once,
                all_leases_can_be_let_go,
                what_a_worker_holds_it_does_not_claim_again,
                whoever_saves_may_take_the_run_with_it,
                whoever_counts_on_the_number_of_a_claim_gets_it_or_nothing_is_saved,
                what_is_held_or_at_rest_is_not_taken_with_a_save,
                attempts_count_until_a_run_comes_further,
                several_are_claimed_at_once_in_their_order,
            }
            interactions::{
                a_question_is_asked_answered_and_read,
                of_questions_that_are_looked_up_together_each_has_its_own_run,
                what_was_decided_about_a_call_is_found_again,
                of_two_racing_answers_one_wins,
                a_run_that_ends_withdraws_its_questions,
                open_questions_are_overdue_when_their_time_is_over,
                an_expired_question_is_not_overdue_again,
            }
            lately::{
                whoever_asked_lately_is_told_once_and_as_stored,
                no_secret_is_at_hand,
                few_runs_are_at_hand_and_no_long_ones,
                what_is_erased_is_not_at_hand,
            }
            advice::{
                what_a_model_said_first_stays,
                advice_for_a_question_that_is_not_open_is_not_kept,
                open_questions_without_advice_are_found,
                a_secret_in_advice_is_masked,
                advice_is_erased_with_what_was_written,
            }
            paging::{
                pages_of_runs_have_no_gaps_and_no_repeats,
                pages_of_questions_have_no_gaps_and_no_repeats,
                open_questions_are_found_by_their_words,
                questions_are_filtered,
                after_what_is_not_there_comes_nothing,
            }
            policy::{
                each_change_of_the_policy_is_a_version,
                the_policy_is_changed_only_as_it_was_seen,
                the_history_of_the_policy_says_what_stood_before,
                racing_changes_of_the_policy_are_all_kept,
                what_an_answer_brings_is_saved_with_it,
                short_memory_keeps_the_newest_answer_for_a_day,
            }
            tokens::{
                a_token_is_whose_it_is,
                a_sign_in_link_works_once,
                an_ended_token_holds_no_more,
                only_tokens_are_listed,
                a_secret_is_kept_once,
                a_store_is_fresh_until_somebody_has_a_token,
            }
            receipts::{
                what_is_made_under_a_key_is_made_once,
                of_many_who_make_something_under_one_key_one_does,
                a_receipt_is_forgotten_and_what_was_made_stays,
                a_call_of_a_program_is_found_by_its_id_and_waits_in_no_inbox,
                a_report_ends_the_wait_for_it,
            }
            log::{
                every_event_gets_one_place_in_the_log,
                the_record_keeps_what_was_written_apart_from_what_happened,
                of_several_who_give_places_each_event_gets_one,
                what_was_written_can_be_erased_and_the_log_holds,
                what_was_signed_stays,
                every_entry_can_be_proven,
            }
            digests::{
                a_call_keeps_its_digest,
            }
            secrets::{
                whoever_works_on_a_run_has_its_secrets_and_nobody_sees_them,
                what_was_found_in_a_run_is_masked_wherever_it_is_repeated,
                a_run_that_has_ended_has_no_secrets_left,
                of_runs_that_move_together_only_the_ended_lose_their_secrets,
                a_run_without_secrets_is_as_it_was,
            }
        }
    };
    ($engine:ident, $open:expr; $($noun:ident::{$($case:ident,)+})+) => {
        mod $engine {
            $(mod $noun {
                $(
                    #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
                    async fn $case() {
                        let (_kept, store) = $open;
                        crate::$noun::$case(&store).await;
                    }
                )+
            })+
        }
    };
}

mod engines {
    conformance!(sqlite, ((), countersign_store::Sqlite::temporary().unwrap()));
    conformance!(postgres, crate::postgres::fresh().await);
}
