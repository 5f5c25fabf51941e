// Two soft tones, made here: no file has to be fetched for them.

const TONES = [
  { pitch: 659.25, after: 0 },
  { pitch: 880, after: 0.14 },
];
const LONG = 0.32;
const LOUD = 0.08;

let context: AudioContext | undefined;

/** Plays them. A browser that has not been touched yet keeps silent, and so does one without sound. */
export function playChime(): void {
  if (typeof AudioContext === "undefined") return;
  context ??= new AudioContext();
  context.resume().catch(() => {});
  for (const { pitch, after } of TONES) tone(context, pitch, context.currentTime + after);
}

function tone(audio: AudioContext, pitch: number, start: number): void {
  const source = audio.createOscillator();
  const volume = audio.createGain();
  source.type = "sine";
  source.frequency.value = pitch;
  volume.gain.setValueAtTime(0, start);
  volume.gain.linearRampToValueAtTime(LOUD, start + 0.02);
  volume.gain.exponentialRampToValueAtTime(0.0001, start + LONG);
  source.connect(volume).connect(audio.destination);
  source.start(start);
  source.stop(start + LONG);
}
