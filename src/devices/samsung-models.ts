/** Samsung's models since 2023, which the list of `android-names.ts` ends before, and what it has wrong or not of all countries, by the part of a code that regions share. */
const SINCE_2023: ReadonlyMap<string, string> = new Map(
  Object.entries({
    S711: 'Galaxy S23 FE',
    S721: 'Galaxy S24 FE',
    S731: 'Galaxy S25 FE',
    S911: 'Galaxy S23',
    S916: 'Galaxy S23+',
    S918: 'Galaxy S23 Ultra',
    S921: 'Galaxy S24',
    S926: 'Galaxy S24+',
    S928: 'Galaxy S24 Ultra',
    S931: 'Galaxy S25',
    S936: 'Galaxy S25+',
    S937: 'Galaxy S25 Edge',
    S938: 'Galaxy S25 Ultra',
    S942: 'Galaxy S26',
    S947: 'Galaxy S26+',
    S948: 'Galaxy S26 Ultra',
    F731: 'Galaxy Z Flip5',
    F741: 'Galaxy Z Flip6',
    F761: 'Galaxy Z Flip7 FE',
    F766: 'Galaxy Z Flip7',
    F946: 'Galaxy Z Fold5',
    F956: 'Galaxy Z Fold6',
    F966: 'Galaxy Z Fold7',
    G991: 'Galaxy S21',
    G996: 'Galaxy S21+',
    G998: 'Galaxy S21 Ultra',
    E045: 'Galaxy F04',
    A055: 'Galaxy A05',
    A057: 'Galaxy A05s',
    A065: 'Galaxy A06',
    A066: 'Galaxy A06 5G',
    A075: 'Galaxy A07',
    A155: 'Galaxy A15',
    A156: 'Galaxy A15 5G',
    A165: 'Galaxy A16',
    A166: 'Galaxy A16 5G',
    A175: 'Galaxy A17',
    A176: 'Galaxy A17 5G',
    A256: 'Galaxy A25 5G',
    A266: 'Galaxy A26 5G',
    A356: 'Galaxy A35 5G',
    A366: 'Galaxy A36 5G',
    A556: 'Galaxy A55 5G',
    A566: 'Galaxy A56 5G',
    M055: 'Galaxy M05',
    M156: 'Galaxy M15 5G',
    M346: 'Galaxy M34 5G',
    M356: 'Galaxy M35 5G',
    M366: 'Galaxy M36 5G',
    M546: 'Galaxy M54 5G',
    M556: 'Galaxy M55 5G',
    M566: 'Galaxy M56 5G',
  }),
);

/** Korean carriers, whose models end with another letter, have names of their own. */
const CODE = /^sm-([a-z]\d{3})(?![lsk])/i;

/** As Google Play's list of supported devices has it. @param model a code, such as `SM-S931B`. */
export function samsungName(model: string): string | null {
  const [, code = ''] = CODE.exec(model) ?? [];
  return SINCE_2023.get(code.toUpperCase()) ?? null;
}
