/** The server's own rows: what the processes that share a database tell each other. */

/** Click journals. */
export interface JournalsTable {
  id: string;
  seen_at: string;
  /** Somebody needs every click of before in the database, and out of the journal's files. */
  flush_wanted_at: string | null;
  flushed_at: string | null;
}

/** One row: the newest time that retention has trusted. */
export interface RetentionClockTable {
  id: 1;
  seen_at: string;
}

/** What one process at a time may do. */
export interface LeasesTable {
  name: string;
  holder: string;
  held_until: string;
}
