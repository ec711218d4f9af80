/** How far a run is. It goes to stderr: stdout is the report's alone. */
export function say(text: string): void {
  process.stderr.write(`${text}\n`);
}
