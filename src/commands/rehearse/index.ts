import { readConfig } from '../../config.ts';
import { StartError } from '../../errors.ts';
import { systemClock } from '../../lib/clock.ts';
import { createOutgoing, parseNetworks } from '../../lib/outgoing/index.ts';
import { grouped } from '../export/progress.ts';
import { noProgress, type Progress, showProgress } from '../output.ts';
import { type CheckDeps, oldAddressOf } from './check-link.ts';
import { findService, refuseOwnAnswers, serviceAt } from './check-start.ts';
import { KeptRows } from './kept-rows.ts';
import { type RehearseOptions, readRehearseOptions } from './options.ts';
import { createPace } from './pace.ts';
import { type LinkFile, readLinks } from './read-links.ts';
import { openReport } from './report.ts';
import { runRehearsal } from './run.ts';
import { count, describeRun } from './summary.ts';
import { Tally } from './tally.ts';

const CONNECTIONS = 8;

/** Compares what visitors get from an old service with what they will get here. @throws StartError unless all are equal. */
export async function rehearse(args: readonly string[]): Promise<void> {
  const options = readRehearseOptions(args);
  const config = readConfig(process.env);
  const { url, host } = options;
  const service = url === null ? await findService(config, host) : serviceAt(url, host);
  const file = await readLinks(options);
  const progress = options.quiet ? noProgress : showProgress();
  const stop = new AbortController();
  const endSignals = stopOnSignals(stop);
  const outgoing = createOutgoing({
    allowed: parseNetworks(config.webhookAllowCidrs),
    connectionsPerOrigin: CONNECTIONS,
  });
  const deps: CheckDeps = {
    ...options,
    service,
    outgoing,
    clock: systemClock,
    pace: createPace(options.perSecond),
    signal: stop.signal,
    onWait: (seconds) => progress.report(`The old service asks to wait ${seconds} s …`),
  };
  const tally = new Tally();
  try {
    await compareAll({ deps, options, file, tally, progress });
  } finally {
    progress.end();
    endSignals();
    await outgoing.close();
  }
  process.stdout.write(`${describeRun(tally, file, options.host)}\n`);
  conclude({ options, tally, file, isStopped: stop.signal.aborted });
}

interface Comparing {
  readonly deps: CheckDeps;
  readonly options: RehearseOptions;
  readonly file: LinkFile;
  readonly tally: Tally;
  readonly progress: Progress;
}

async function compareAll({ deps, options, file, tally, progress }: Comparing): Promise<void> {
  const [first] = file.links;
  if (first !== undefined && !deps.againstFile) await refuseOwnAnswers(deps, oldAddressOf(first, deps));
  const kept = new KeptRows();
  const report = await openReport(options, kept.add);
  try {
    const tasks = kept.remaining(file.links, (link) => oldAddressOf(link, deps), options.visitors);
    for (const rows of kept.complete(tasks, (link) => oldAddressOf(link, deps))) tally.add(rows);
    const { language } = options;
    await runRehearsal({ deps, tasks, kept, language, total: file.links.length, tally, report, progress });
  } catch (error) {
    if (!deps.signal.aborted) throw error;
  } finally {
    await report.close();
  }
}

/** The first signal ends the run with its summary, a second one the process. */
function stopOnSignals(stop: AbortController): () => void {
  const signals = ['SIGINT', 'SIGTERM'] as const;
  const end = () => {
    if (stop.signal.aborted) process.exit(1);
    stop.abort();
  };
  for (const signal of signals) process.on(signal, end);
  return () => {
    for (const signal of signals) process.off(signal, end);
  };
}

/** @throws StartError, for the exit code, unless all links were compared and are equal. */
function conclude({
  options: { report },
  tally,
  file: { links, failures },
  isStopped,
}: {
  options: RehearseOptions;
  tally: Tally;
  file: LinkFile;
  isStopped: boolean;
}): void {
  const see = report === null ? 'Write all of them to a file with --report.' : `All are in ${report}.`;
  if (isStopped) {
    const how = report === null ? 'A run with --report REPORT can be continued.' : 'Continue with --resume.';
    throw new StartError(`Stopped after ${tally.links} of ${count(links.length, 'link')}. ${how}`);
  }
  if (tally.unequal > 0)
    throw new StartError(`${grouped(tally.unequal)} of ${count(tally.answers, 'answer')} not equal. ${see}`);
  if (failures.length > 0)
    throw new StartError(`${count(failures.length, 'row')} of the file cannot become a link.`);
}
