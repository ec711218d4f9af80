import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { EventsTable } from '../db/index.ts';
import { chooseNew, type NewEvent } from './event.ts';

let lastId = 0;

function newEvent(fields: Partial<NewEvent> = {}, installId = 'install'): NewEvent {
  const row = { app_id: 'app', id: `event ${++lastId}`, install_id: installId, revenue_amount: '9.99' };
  return { row: row as EventsTable, mark: null, transactionMark: null, ...fields };
}

const storedAs = (mark: string, installId = 'install') => ({
  mark,
  event_id: 'stored',
  install_id: installId,
});

describe('new events', () => {
  it('an event without an ID of the client is always new, and stores no mark', () => {
    const events = [newEvent(), newEvent()];
    const { rows, marks } = chooseNew(events, []);
    assert.deepEqual(
      rows,
      events.map(({ row }) => row),
    );
    assert.deepEqual(marks, []);
  });

  it('of events with one ID in a batch the first is new, and the others are retries of it', () => {
    const [first, second] = [newEvent({ mark: 'a' }), newEvent({ mark: 'a' })];
    const { statuses, rows, marks } = chooseNew([first, second], []);
    assert.deepEqual([...statuses.values()], ['new', 'recorded_before']);
    assert.deepEqual(rows, [first.row]);
    assert.deepEqual(
      marks.map(({ mark, event_id }) => [mark, event_id]),
      [['a', first.row.id]],
    );
  });

  it('the stored ID of another install is taken', () => {
    const events = [newEvent({ mark: 'a' }), newEvent({ mark: 'b' })];
    const { statuses, rows } = chooseNew(events, [storedAs('a', 'other'), storedAs('b')]);
    assert.deepEqual([...statuses.values()], ['id_taken', 'recorded_before']);
    assert.deepEqual(rows, []);
  });

  it('a transaction has its revenue once, in the first new event', () => {
    const paid = (transactionMark: string) => newEvent({ transactionMark });
    const { rows, marks } = chooseNew([paid('t'), paid('t'), paid('stored')], [storedAs('stored')]);
    assert.deepEqual(
      rows.map(({ revenue_amount }) => revenue_amount),
      ['9.99', null, null],
    );
    assert.deepEqual(
      marks.map(({ mark }) => mark),
      ['t'],
    );
  });

  it('a retry does not take the revenue of its transaction', () => {
    const events = [newEvent({ mark: 'a', transactionMark: 't' }), newEvent({ transactionMark: 't' })];
    const { rows } = chooseNew(events, [storedAs('a')]);
    assert.deepEqual(
      rows.map(({ revenue_amount }) => revenue_amount),
      ['9.99'],
    );
  });
});
