import { checkDestinations } from '../../apps/index.ts';
import { AppError } from '../../errors.ts';
import { isMoment } from '../../lib/clock.ts';
import type { LinkRule } from './rules.ts';
import { isEmptyRange } from './rules-that-never-win.ts';

const MAX_RULES_BYTES = 32 * 1024;

/** What the schema cannot express. @throws AppError `request.invalid` that names the rule. */
export function checkRules(rules: readonly LinkRule[]): void {
  if (Buffer.byteLength(JSON.stringify(rules)) > MAX_RULES_BYTES)
    throw invalid('rules must be at most 32 KiB as JSON.');
  for (const [index, rule] of rules.entries()) {
    const place = `rules.${index}`;
    checkDestinations(rule.then, `${place}.then.`);
    const { from, to, osVersion } = rule.when;
    for (const [name, time] of Object.entries({ from, to }))
      if (time !== undefined && !isMoment(time))
        throw invalid(`${place}.when.${name} must be a date-time with a zone, such as 2026-12-31T23:59:59Z.`);
    if (from !== undefined && to !== undefined && Date.parse(from) >= Date.parse(to))
      throw invalid(`${place}.when.to must be later than from.`);
    checkCountries(`${place}.when.country`, rule.when.country);
    if (osVersion !== undefined && osVersion.min === undefined && osVersion.max === undefined)
      throw invalid(`${place}.when.osVersion must have min, max or both.`);
    if (osVersion !== undefined && isEmptyRange(osVersion))
      throw invalid(`${place}.when.osVersion.max must not be lower than min.`);
  }
}

/** Of ISO 3166-1, with Kosovo's XK, which files of countries use. */
const COUNTRIES = new Set(
  (
    'AD AE AF AG AI AL AM AO AQ AR AS AT AU AW AX AZ BA BB BD BE BF BG BH BI BJ BL BM BN BO BQ BR BS BT BV BW BY BZ ' +
    'CA CC CD CF CG CH CI CK CL CM CN CO CR CU CV CW CX CY CZ DE DJ DK DM DO DZ EC EE EG EH ER ES ET FI FJ FK FM FO ' +
    'FR GA GB GD GE GF GG GH GI GL GM GN GP GQ GR GS GT GU GW GY HK HM HN HR HT HU ID IE IL IM IN IO IQ IR IS IT JE ' +
    'JM JO JP KE KG KH KI KM KN KP KR KW KY KZ LA LB LC LI LK LR LS LT LU LV LY MA MC MD ME MF MG MH MK ML MM MN MO ' +
    'MP MQ MR MS MT MU MV MW MX MY MZ NA NC NE NF NG NI NL NO NP NR NU NZ OM PA PE PF PG PH PK PL PM PN PR PS PT PW ' +
    'PY QA RE RO RS RU RW SA SB SC SD SE SG SH SI SJ SK SL SM SN SO SR SS ST SV SX SY SZ TC TD TF TG TH TJ TK TL TM ' +
    'TN TO TR TT TV TW TZ UA UG UM US UY UZ VA VC VE VG VI VN VU WF WS XK YE YT ZA ZM ZW'
  ).split(' '),
);

function checkCountries(place: string, country: string | string[] = []): void {
  for (const code of [country].flat())
    if (!COUNTRIES.has(code))
      throw invalid(
        `${place} has ${code}, which is no country in ISO 3166. Send ${presentCode(code) ?? 'a code such as DE'}.`,
      );
}

/** Of a country that has another code: `GB` for `UK`. */
function presentCode(code: string): string | null {
  const { region } = new Intl.Locale(`und-${code}`);
  return region !== undefined && COUNTRIES.has(region) ? region : null;
}

function invalid(message: string): AppError {
  return new AppError('request.invalid', { message });
}
