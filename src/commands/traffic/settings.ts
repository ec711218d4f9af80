/** Parameters of the synthetic traffic. Shares and chances are from 0 to 1. */
import type { PlaceName } from './places.ts';

export interface Settings {
  /** Weights of the places. */
  readonly places: Readonly<Partial<Record<PlaceName, number>>>;
  /** People who click, install or both within the period. */
  readonly people: number;
  /** Length of the period; installs follow for another day and a half. */
  readonly hours: number;

  /** People who install without a click. */
  readonly organicShare: number;
  /** Of people who click: those who install afterwards. */
  readonly convertingShare: number;
  /** Of people who click: those whose first click is on a computer. */
  readonly desktopShare: number;
  /** Chance of each further click of the same person. */
  readonly repeatShare: number;
  /** People who click within minutes after one of a few campaign pushes. */
  readonly burstShare: number;
  /** Installs within minutes of the click; the others take hours to days. */
  readonly quickShare: number;
  readonly quickMedianMinutes: number;
  readonly slowMedianHours: number;

  /** People with Wi-Fi at home; the others use only the carrier. */
  readonly homeShare: number;
  /** Weights of households of 1, 2, 3, 4 and 5. */
  readonly householdSizes: readonly number[];
  /** Chance for each other member of a household to be among the people. */
  readonly kinShare: number;
  /** Homes with their own IPv6 /64 in addition to IPv4. */
  readonly homeIpv6Share: number;
  /** Homes that share an IPv4 address through their provider's NAT. */
  readonly homeNatShare: number;
  /** Simulated people per such address. */
  readonly peoplePerHomeNat: number;
  /** Chance per day that a home gets new addresses. */
  readonly homeRenumberedPerDay: number;
  /** People who spend working hours on the network of an office. */
  readonly officeShare: number;
  /** Simulated people per office address, minimum and maximum. */
  readonly peoplePerOffice: readonly [number, number];
  /** Chance of using a public hotspot when not at home or at the office. */
  readonly hotspotShare: number;
  readonly peoplePerHotspot: number;
  /** Simulated people per carrier address; real ones have thousands of other subscribers. */
  readonly peoplePerCarrierAddress: number;
  /** Subscribers with their own IPv6 /64 in addition to the shared IPv4 address. */
  readonly carrierIpv6Share: number;
  /** Mean time until the carrier assigns a phone another address. */
  readonly carrierMoveHours: number;
  /** iPhone owners whose Safari uses a relay. */
  readonly relayShare: number;
  /** Simulated relay users per egress address. */
  readonly peoplePerRelayAddress: number;

  /** Mean stay on one network. */
  readonly stayHours: number;
  /** Chance that a phone changes between Wi-Fi and carrier between click and install. */
  readonly switchShare: number;
  /** Phones that use IPv6 on networks with both families. */
  readonly ipv6Share: number;
  /** Chance that a connection uses the other family than usual. */
  readonly familyFlipShare: number;

  /** Clicks with a landing page; the others are bare redirects. */
  readonly pageShare: number;
  /** Clicks in an in-app browser. */
  readonly inAppShare: number;
  /** Android installs after a click on the phone whose referrer contains the click ID. */
  readonly referrerShare: number;
  /** Installs after a click on the phone whose SDK reports the click ID, from a link or the clipboard. */
  readonly clickIdShare: number;
  /** Crawler clicks per human click. */
  readonly crawlerShare: number;
  /** Chance of a chat preview from the phone's address just before the click. */
  readonly previewShare: number;
  /** Chance that a field of an install is missing. */
  readonly missingShare: number;
  /** Chance per day of an OS update. */
  readonly osUpdatePerDay: number;
  /** People whose browser language differs from the system language. */
  readonly otherLanguageShare: number;
  /** Factor for the odds of an iPhone; 1 keeps the mix of the place. */
  readonly iphoneOdds: number;
}
