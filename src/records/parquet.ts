/** Exports as Parquet. */
import { ByteWriter, ParquetWriter, type SchemaElement } from 'hyparquet-writer';
import type { TObject, TSchema } from 'typebox';
import { columnsOf, divide, type RecordChunks } from './formats.ts';

/** A row group is in memory until it is written, some 50 MB; much smaller ones take longer to read. */
const RECORDS_OF_GROUP = 20_000;
/** Groups of records with large properties are smaller. */
const MAX_GROUP_CHARACTERS = 16 * 1024 * 1024;

/** Texts in the API, which JSON numbers would round. */
const DECIMALS: Readonly<Record<string, { readonly precision: number; readonly scale: number }>> = {
  revenueAmount: { precision: 16, scale: 4 },
  confidence: { precision: 4, scale: 3 },
};

interface Column {
  readonly name: string;
  readonly element: SchemaElement;
  /** To the value that the library encodes. */
  encode(value: unknown): unknown;
}

/**
 * The bytes of a file, one piece for each row group. Equal records make equal bytes.
 * @param item schema of a record.
 * @param metadata of the file, by key.
 */
export async function* toParquet(
  item: TObject,
  records: RecordChunks,
  metadata: Readonly<Record<string, string>> = {},
): AsyncGenerator<Uint8Array> {
  const columns = Object.entries(columnsOf(item)).map(([name, schema]) => toColumn(name, schema));
  const bytes = new ByteWriter();
  const root: SchemaElement = { name: 'root', num_children: columns.length };
  const schema = [root, ...columns.map(({ element }) => element)];
  const kvMetadata = Object.entries(metadata).map(([key, value]) => ({ key, value }));
  const writer = new ParquetWriter({ writer: bytes, schema, createdBy: 'Throughline', kvMetadata });
  for await (const group of groupsOf(records)) {
    const columnData = columns.map(({ name, element, encode }) => ({
      name,
      data: group.map((fields) => encode(fields[name] ?? null)),
      // Bounds of whole documents help no query.
      statistics: element.converted_type !== 'JSON',
    }));
    await writer.write({ columnData, rowGroupSize: group.length });
    yield take(bytes);
  }
  await writer.finish();
  yield take(bytes);
}

type Fields = Readonly<Record<string, unknown>>;

async function* groupsOf(records: RecordChunks): AsyncGenerator<readonly Fields[]> {
  let group: Fields[] = [];
  let characters = 0;
  for await (const items of records)
    for (const item of items) {
      const fields = divide(item);
      group.push(fields);
      characters += sizeOf(fields);
      if (group.length < RECORDS_OF_GROUP && characters < MAX_GROUP_CHARACTERS) continue;
      yield group;
      group = [];
      characters = 0;
    }
  if (group.length > 0) yield group;
}

/** Of the texts and objects, whose length varies. */
function sizeOf(fields: Fields): number {
  let characters = 0;
  for (const value of Object.values(fields))
    if (typeof value === 'string') characters += value.length;
    else if (typeof value === 'object' && value !== null) characters += JSON.stringify(value).length;
  return characters;
}

/** Empties the buffer, whose offset in the file goes on. */
function take(bytes: ByteWriter): Uint8Array {
  const taken = bytes.getBytes().slice();
  bytes.index = 0;
  return taken;
}

function toColumn(name: string, schema: TSchema): Column {
  const { format, type } = schema as { format?: string; type?: string | readonly string[] };
  const column = (element: Omit<SchemaElement, 'name'>, encode: Column['encode'] = (value) => value) => ({
    name,
    element: { name, repetition_type: 'OPTIONAL' as const, ...element },
    encode,
  });
  const decimal = DECIMALS[name];
  if (decimal !== undefined)
    return column(
      // ClickHouse reads a decimal of few digits from 32 bits alone, as the format advises.
      { type: decimal.precision <= 9 ? 'INT32' : 'INT64', converted_type: 'DECIMAL', ...decimal },
      (value) => (value === null ? null : toUnscaled(String(value), decimal.scale)),
    );
  if (format === 'date-time')
    return column(
      {
        type: 'INT64',
        converted_type: 'TIMESTAMP_MILLIS',
        logical_type: { type: 'TIMESTAMP', isAdjustedToUTC: true, unit: 'MILLIS' },
      },
      (value) => (value === null ? null : new Date(String(value))),
    );
  if (type === 'boolean') return column({ type: 'BOOLEAN' });
  if (type === 'object') return column({ type: 'BYTE_ARRAY', converted_type: 'JSON' });
  return column({ type: 'BYTE_ARRAY', converted_type: 'UTF8' });
}

/** `19.5` with a scale of 4 is 195000; a number would round amounts of 16 digits. */
function toUnscaled(decimal: string, scale: number): bigint {
  const [whole = '', fraction = ''] = decimal.split('.');
  return BigInt(whole + fraction.padEnd(scale, '0'));
}
