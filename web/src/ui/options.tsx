// One of a few, each with its own words.

import { useId } from "react";
import { Choice, Choices } from "./choice";

type OptionsProps<Name extends string> = {
  legend: string;
  all: readonly Name[];
  labels: Record<Name, string>;
  chosen: Name;
  onChoose: (name: Name) => void;
};

export function Options<Name extends string>({ legend, all, labels, chosen, onChoose }: OptionsProps<Name>) {
  const group = useId();
  return (
    <Choices kind="one" legend={legend} columns={all.length === 4 ? 2 : 3}>
      {all.map((each) => (
        <Choice
          key={each}
          kind="one"
          name={group}
          chosen={chosen === each}
          onChoose={() => onChoose(each)}
          label={labels[each]}
        />
      ))}
    </Choices>
  );
}
