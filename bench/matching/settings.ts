/** Where, how many, how connected: everything the traffic is made from. Shares and chances are from 0 to 1. */
import type { PlaceName } from './places.ts';

export interface Settings {
  /** Who lives where: weights. */
  readonly places: Readonly<Partial<Record<PlaceName, number>>>;
  /** People who click, install or both within the stretch. */
  readonly people: number;
  /** Length of the stretch in which people come; their installs follow for a day and a half more. */
  readonly hours: number;

  /** People who install without a click. */
  readonly organicShare: number;
  /** People who install after their click, of those who click. */
  readonly convertingShare: number;
  /** Of those who click: first on a computer, not on the phone. */
  readonly desktopShare: number;
  /** Chance of one more click of the same person, and of one more after that. */
  readonly repeatShare: number;
  /** People who come within minutes of one of a few pushes of a campaign, not spread over the day. */
  readonly burstShare: number;
  /** Installs within minutes of the click; the others take hours to days. */
  readonly quickShare: number;
  readonly quickMedianMinutes: number;
  readonly slowMedianHours: number;

  /** People with an own network at home; the others have the carrier only. */
  readonly homeShare: number;
  /** Weights of households of 1, 2, 3, 4 and 5. */
  readonly householdSizes: readonly number[];
  /** Chance that one more member of a household is among the people, too. */
  readonly kinShare: number;
  /** Homes with an IPv6 /64 of their own beside IPv4. */
  readonly homeIpv6Share: number;
  /** Homes whose provider puts several of them behind one IPv4 address. */
  readonly homeNatShare: number;
  /** People here behind one such address. */
  readonly peoplePerHomeNat: number;
  /** Chance in a day that a home gets new addresses. */
  readonly homeRenumberedPerDay: number;
  /** People who spend working hours on the network of an office. */
  readonly officeShare: number;
  /** People here behind one office address, fewest and most. */
  readonly peoplePerOffice: readonly [number, number];
  /** Chance of being on the network of a café, shop, station or train, when out. */
  readonly hotspotShare: number;
  readonly peoplePerHotspot: number;
  /** People here whose phones share one address of a carrier when on it; its other subscribers are thousands. */
  readonly peoplePerCarrierAddress: number;
  /** Subscribers who get an IPv6 /64 of their own, and reach IPv4 through the shared addresses. */
  readonly carrierIpv6Share: number;
  /** Mean time until a phone is moved to another address of the carrier. */
  readonly carrierMoveHours: number;
  /** iPhone owners whose Safari goes through a relay. */
  readonly relayShare: number;
  /** Relay users here behind one egress address. */
  readonly peoplePerRelayAddress: number;

  /** Mean stay on one network. */
  readonly stayHours: number;
  /** Chance that a phone changes between Wi-Fi and the carrier before the install, however soon. */
  readonly switchShare: number;
  /** Connections over IPv6 where both are there, for most phones and networks. */
  readonly ipv6Share: number;
  /** Chance that a connection takes the other family than usual. */
  readonly familyFlipShare: number;

  /** Clicks for which a page ran; the others were bare redirects. */
  readonly pageShare: number;
  /** Clicks within the browser of another app. */
  readonly inAppShare: number;
  /** Android installs after a click on the phone whose referrer names that click. */
  readonly referrerShare: number;
  /** Installs after a click on the phone whose SDK names that click, by a link or the clipboard. */
  readonly clickIdShare: number;
  /** Crawlers' clicks, for each click of a person. */
  readonly crawlerShare: number;
  /** Chance of a chat app's preview, fetched from the phone's address just before the click. */
  readonly previewShare: number;
  /** Chance for each field of an install to be missing. */
  readonly missingShare: number;
  /** Chance in a day that a phone gets a new OS version. */
  readonly osUpdatePerDay: number;
  /** People whose browser asks for another language than the system's. */
  readonly otherLanguageShare: number;
  /** Multiplies the odds that a phone is an iPhone; 1 leaves the mix of the place. */
  readonly iphoneOdds: number;
}
