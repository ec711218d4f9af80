/** Saves an answer as a file. @param data a Blob, whatever type the client gives it. */
export function download(data: unknown, name: string): void {
  if (!(data instanceof Blob)) throw new TypeError(`${name} is not a file`);
  const address = URL.createObjectURL(data);
  const anchor = document.createElement('a');
  anchor.href = address;
  anchor.download = name;
  anchor.click();
  setTimeout(() => URL.revokeObjectURL(address), 1_000);
}
