import { StartError } from '../../errors.ts';
import type { Row } from './check-link.ts';
import type { RehearsedLink } from './read-links.ts';
import type { VisitorName } from './visitors.ts';

/** A link with the kinds of visitors that are still to be asked for. */
export interface Task {
  readonly link: RehearsedLink;
  readonly visitors: readonly VisitorName[];
}

/** Rows of an earlier run, by link. */
export class KeptRows {
  readonly #byLink = new Map<string, Row[]>();

  readonly add = (row: Row): void => {
    const key = keyOf(row.line, row.oldAddress);
    const known = this.#byLink.get(key);
    if (known === undefined) this.#byLink.set(key, [row]);
    else known.push(row);
  };

  /** The rows of a link; none if it was not compared. */
  of(line: number, oldAddress: string): readonly Row[] {
    return this.#byLink.get(keyOf(line, oldAddress)) ?? [];
  }

  /**
   * What is left of the file.
   * @throws StartError if a row belongs to another file.
   */
  remaining(
    links: readonly RehearsedLink[],
    addressOf: (link: RehearsedLink) => string,
    visitors: readonly VisitorName[],
  ): Task[] {
    const keys = new Set(links.map((link) => keyOf(link.line, addressOf(link))));
    const foreign = this.#byLink.keys().find((key) => !keys.has(key));
    if (foreign !== undefined)
      throw new StartError(
        `The report has a link that is not in the file: line ${foreign}. Name the file, --from and --old-base as before, or replace the report with --force.`,
      );
    return links.flatMap((link) => {
      const done = this.of(link.line, addressOf(link)).map(({ visitor }) => visitor);
      const left = visitors.filter((name) => !done.includes(name));
      return left.length === 0 ? [] : [{ link, visitors: left }];
    });
  }

  /** The rows of links that are in no task. */
  complete(tasks: readonly Task[], addressOf: (link: RehearsedLink) => string): (readonly Row[])[] {
    const open = new Set(tasks.map(({ link }) => keyOf(link.line, addressOf(link))));
    return [...this.#byLink].filter(([key]) => !open.has(key)).map(([, rows]) => rows);
  }
}

function keyOf(line: number, oldAddress: string): string {
  return `${line} ${oldAddress}`;
}
