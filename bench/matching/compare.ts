/** Comparisons of clicks and installs. */
import type { Click, Fingerprint, Install } from '../../src/commands/traffic/touches.ts';

/** The IPv4 address or the /64 of IPv6. */
export function addressKey(ipAddress: string): string {
  return ipAddress.includes(':') ? ipAddress.split(':').slice(0, 4).join(':') : ipAddress;
}

/** The first three bytes of IPv4, the first four groups of IPv6. */
export function networkKey(ipAddress: string): string {
  return ipAddress.includes(':') ? addressKey(ipAddress) : ipAddress.split('.').slice(0, 3).join('.');
}

export function ageMs(click: Click, install: Install): number {
  return Date.parse(install.at) - Date.parse(click.at);
}

/** In CSS pixels. */
export function cssScreen({ screenWidth, screenHeight, screenDensity }: Fingerprint) {
  if (!screenWidth || !screenHeight || !screenDensity) return null;
  return { width: Math.round(screenWidth / screenDensity), height: Math.round(screenHeight / screenDensity) };
}

/** By the first two letters: `de-DE,de;q=0.9` and `de_AT` are equal. */
export function isSameLanguage(one: string | null | undefined, other: string | null | undefined): boolean {
  return !!one && !!other && one.slice(0, 2).toLowerCase() === other.slice(0, 2).toLowerCase();
}

export function platformOf(userAgent: string): string {
  return /iPhone|iPad|iOS/.test(userAgent)
    ? 'ios'
    : (userAgent.match(/Android|Macintosh|Windows|Linux/)?.[0] ?? '');
}

export function browserOf(userAgent: string): string {
  return userAgent.match(/Firefox|Edg|CriOS|Chrome|Safari/)?.[0] ?? '';
}

/** `iOS 18.7.2`, `Android 14`; null for others. */
export function systemOf(userAgent: string): string | null {
  const ios = userAgent.match(/OS (\d+(?:_\d+)*) like Mac/)?.[1];
  if (ios) return `iOS ${ios.replaceAll('_', '.')}`;
  const android = userAgent.match(/Android (\d+)/)?.[1];
  return android ? `Android ${android}` : null;
}

/** WebKit's version on Apple's systems, Chrome's full version elsewhere. */
export function engineOf(userAgent: string): string | null {
  if (/iPhone|iPad|Macintosh/.test(userAgent)) return userAgent.match(/AppleWebKit\/([\d.]+)/)?.[1] ?? null;
  return userAgent.match(/Chrome\/([\d.]+)/)?.[1] ?? null;
}
