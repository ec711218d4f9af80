import { hash } from 'node:crypto';

const FIRST_CAPACITY = 4_096;
/** Two words of the key's hash, two of the content's, the line. */
const WORDS = 5;

/** On which line each address of a file is first, in 40 bytes each: half a million addresses are 20 MB. */
export class FirstLines {
  /** Open addressing; a line is at least 1, so that 0 marks a free place. */
  #table = new Uint32Array(FIRST_CAPACITY * WORDS);
  #count = 0;

  /** @returns null for the first link with the key, else its line, and whether its content is the same. */
  note(key: string, content: string, line: number): { line: number; isSame: boolean } | null {
    if (this.#count * 2 >= this.#table.length / WORDS) this.#grow();
    const [keyHash, contentHash] = [hashOf(key), hashOf(content)];
    const at = this.#find(keyHash);
    if (this.#table[at + 4] === 0) {
      this.#table.set([...keyHash, ...contentHash, line], at);
      this.#count += 1;
      return null;
    }
    const isSame = this.#table[at + 2] === contentHash[0] && this.#table[at + 3] === contentHash[1];
    return { line: this.#table[at + 4] ?? 0, isSame };
  }

  #find([high, low]: readonly [number, number]): number {
    const places = this.#table.length / WORDS;
    for (let place = low % places; ; place = (place + 1) % places) {
      const at = place * WORDS;
      if (this.#table[at + 4] === 0 || (this.#table[at] === high && this.#table[at + 1] === low)) return at;
    }
  }

  #grow(): void {
    const former = this.#table;
    this.#table = new Uint32Array(former.length * 2);
    for (let at = 0; at < former.length; at += WORDS)
      if (former[at + 4] !== 0)
        this.#table.set(former.subarray(at, at + WORDS), this.#find([former[at] ?? 0, former[at + 1] ?? 0]));
  }
}

function hashOf(text: string): [number, number] {
  const bytes = hash('sha1', text, 'buffer');
  return [bytes.readUInt32LE(0), bytes.readUInt32LE(4)];
}
