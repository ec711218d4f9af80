export type * from '@throughline/core';
export { LinkError, StandardEvent } from '@throughline/core';
export { type CapacitorConfig, createThroughline } from './client.ts';
