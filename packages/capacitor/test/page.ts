/** What a page of a test loads; a test calls it by the browser's tools. */
import { createThroughline, LinkError, StandardEvent } from '../src/index.ts';

Object.assign(globalThis, { createThroughline, LinkError, StandardEvent });
