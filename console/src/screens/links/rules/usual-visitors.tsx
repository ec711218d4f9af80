import type { LinkRule } from '@generated/types.gen.ts';
import type { Places } from './tester.tsx';
import { outcomeOf, type TriedLink, tryRules, type Visitor } from './try-rules.ts';
import { formatPercent, placeName, ruleName } from './words.ts';

/** The language, country, parameters and time above, on the devices that most people have. */
export function UsualVisitors({
  link,
  app,
  rules,
  wrong,
  visitors,
}: {
  link: TriedLink;
  app: Places;
  rules: readonly LinkRule[];
  wrong: readonly (string | null)[];
  visitors: readonly { readonly name: string; readonly visitor: Visitor }[];
}) {
  return (
    <table className="table" aria-label="The usual visitors">
      <thead>
        <tr>
          <th scope="col">With this device</th>
          <th scope="col">Gets</th>
          <th scope="col">Leads to</th>
          <th scope="col">Screen</th>
        </tr>
      </thead>
      <tbody>
        {visitors.flatMap(({ name, visitor }) =>
          tryRules(rules, visitor, wrong).shares.map(({ place, percent }, index) => {
            const rule = place === null ? null : (rules[place] ?? null);
            const { destination, deepLinkPath } = outcomeOf(link, rule, app, visitor);
            return (
              <tr key={`${name} ${place ?? 'link'}`}>
                <td>
                  {/* On a phone each row stands by itself. */}
                  <span className={index === 0 ? 'max-phone:font-semibold' : 'sr-only max-phone:not-sr-only'}>
                    {name}
                  </span>
                </td>
                <td data-name="Gets">
                  <span>
                    {percent < 100 && `${formatPercent(percent)}: `}
                    {rule === null || place === null ? 'the link' : ruleName(rule, place)}
                  </span>
                </td>
                <td data-name="Leads to" className="[overflow-wrap:anywhere]">
                  <span>{destination === null ? 'Nowhere' : placeName(destination)}</span>
                </td>
                <td data-name="Screen" className="[overflow-wrap:anywhere]">
                  <code>{deepLinkPath}</code>
                </td>
              </tr>
            );
          }),
        )}
      </tbody>
    </table>
  );
}
