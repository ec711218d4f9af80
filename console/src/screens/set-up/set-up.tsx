/** Steps until links, the app and the service work together. */
import { readOwnApp } from '@generated/sdk.gen.ts';
import { useRead } from '../../api/use-read.ts';
import { Head } from '../../components/page.tsx';
import { Pane } from '../../components/pane.tsx';
import { Proof } from './proof.tsx';
import { SdkCode } from './sdk-code.tsx';
import { StepItem } from './step-item.tsx';
import { stepsOf } from './steps.ts';
import { useFirsts } from './use-firsts.ts';
import { WebLinks } from './web/web-links.tsx';

export function SetUp() {
  const app = useRead(['app'], (client, signal) => readOwnApp({ client, signal, throwOnError: true }));
  const firsts = useFirsts();
  const steps = app.data === undefined || firsts.data === undefined ? null : stepsOf(app.data, firsts.data);
  const done = steps?.filter(({ state }) => state === 'done').length ?? 0;
  const retry = () => {
    app.retry();
    firsts.retry();
  };
  return (
    <>
      <Head title="Set-up">
        {steps !== null && (
          <p className="text-ink-2">
            {done} of {steps.length} done
          </p>
        )}
        <button type="button" className="btn ml-auto" onClick={retry}>
          Check now
        </button>
      </Head>
      <Pane read={{ ...app, data: steps ?? undefined, error: app.error ?? firsts.error, retry }} rows={12}>
        {(shown) => (
          <div className="grid grid-cols-[minmax(0,1fr)_280px] gap-x-16 pt-4 max-wide:grid-cols-1">
            <ol>
              {shown.map((step) => (
                <StepItem
                  key={step.name}
                  step={step}
                  code={step.hasCode && app.data !== undefined ? <SdkCode app={app.data} /> : null}
                />
              ))}
            </ol>
            {firsts.data !== undefined && <Proof firsts={firsts.data} />}
          </div>
        )}
      </Pane>
      {steps !== null && app.data !== undefined && <WebLinks key={app.data.id} app={app.data} />}
    </>
  );
}
