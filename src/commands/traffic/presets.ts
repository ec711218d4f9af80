import type { Settings } from './settings.ts';

/** A country-wide app, mostly in one or two time zones. */
const ordinary: Settings = {
  places: { germany: 0.4, britain: 0.3, france: 0.2, unitedStates: 0.1 },
  people: 24_000,
  hours: 48,
  organicShare: 0.3,
  convertingShare: 0.35,
  desktopShare: 0.08,
  repeatShare: 0.2,
  burstShare: 0.15,
  quickShare: 0.82,
  quickMedianMinutes: 6,
  slowMedianHours: 7,
  homeShare: 0.9,
  householdSizes: [0.35, 0.33, 0.14, 0.13, 0.05],
  kinShare: 0.12,
  homeIpv6Share: 0.55,
  homeNatShare: 0.12,
  peoplePerHomeNat: 3,
  homeRenumberedPerDay: 0.15,
  officeShare: 0.25,
  peoplePerOffice: [2, 40],
  hotspotShare: 0.08,
  peoplePerHotspot: 4,
  peoplePerCarrierAddress: 8,
  carrierIpv6Share: 0.4,
  carrierMoveHours: 3.5,
  relayShare: 0.12,
  peoplePerRelayAddress: 6,
  stayHours: 6,
  switchShare: 0.09,
  ipv6Share: 0.9,
  familyFlipShare: 0.03,
  pageShare: 0.55,
  inAppShare: 0.4,
  referrerShare: 0.72,
  clickIdShare: 0.05,
  crawlerShare: 0.03,
  previewShare: 0.04,
  missingShare: 0.02,
  osUpdatePerDay: 0.01,
  otherLanguageShare: 0.06,
  iphoneOdds: 1,
};

/** One city, one time zone, one day: many people behind each address. */
const denseCity: Settings = {
  ...ordinary,
  places: { newYork: 1 },
  people: 60_000,
  hours: 24,
  homeShare: 0.75,
  kinShare: 0.2,
  homeNatShare: 0.3,
  peoplePerHomeNat: 12,
  homeRenumberedPerDay: 0.03,
  officeShare: 0.4,
  peoplePerOffice: [10, 300],
  hotspotShare: 0.15,
  peoplePerHotspot: 15,
  peoplePerCarrierAddress: 60,
  carrierMoveHours: 1.75,
  switchShare: 0.11,
  relayShare: 0.3,
  peoplePerRelayAddress: 25,
};

/** A few hundred installs a day. */
const smallApp: Settings = {
  ...ordinary,
  places: { britain: 0.5, unitedStates: 0.5 },
  people: 1_500,
  peoplePerHomeNat: 1.2,
  peoplePerOffice: [1, 6],
  peoplePerHotspot: 1.3,
  peoplePerCarrierAddress: 1.5,
  peoplePerRelayAddress: 2,
  crawlerShare: 0.15,
  burstShare: 0,
};

/** Few homes with Wi-Fi, few iPhones, and system languages that differ from the browser's. */
const androidHeavyIndia: Settings = {
  ...ordinary,
  places: { india: 0.85, vietnam: 0.15 },
  people: 40_000,
  homeShare: 0.4,
  householdSizes: [0.1, 0.15, 0.25, 0.3, 0.2],
  homeNatShare: 0.5,
  peoplePerHomeNat: 10,
  officeShare: 0.1,
  carrierIpv6Share: 0.75,
  peoplePerCarrierAddress: 40,
  carrierMoveHours: 2,
  inAppShare: 0.5,
  otherLanguageShare: 0.2,
};

/** A business app used at offices, mostly on iPhones. */
const iosOffices: Settings = {
  ...ordinary,
  places: { unitedStates: 0.7, britain: 0.3 },
  people: 20_000,
  officeShare: 0.85,
  peoplePerOffice: [20, 400],
  desktopShare: 0.25,
  inAppShare: 0.1,
  pageShare: 0.8,
  iphoneOdds: 6,
};

/** Most installs have no click, so any match of theirs is wrong. */
const manyOrganic: Settings = {
  ...ordinary,
  places: { brazil: 0.5, japan: 0.3, taiwan: 0.2 },
  people: 30_000,
  organicShare: 0.75,
  convertingShare: 0.15,
  kinShare: 0.3,
};

/** Links that only redirect, so the request is the only source of signals. */
const bareRedirects: Settings = {
  ...ordinary,
  pageShare: 0,
  places: { germany: 0.5, unitedStates: 0.5 },
};

/** Links that show a page where a redirect would lose the match; 10 % of the pages do not run. */
const ordinaryWithPage: Settings = { ...ordinary, pageShare: 0.9 };
const denseCityWithPage: Settings = { ...denseCity, pageShare: 0.9 };

/** `ordinary` and `denseCity` are tuned to a known share of unchanged addresses; the others are not tuned. */
export const PRESETS: Readonly<Record<string, Settings>> = {
  ordinary,
  denseCity,
  smallApp,
  androidHeavyIndia,
  iosOffices,
  manyOrganic,
  bareRedirects,
  ordinaryWithPage,
  denseCityWithPage,
};
