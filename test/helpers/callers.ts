/** Browsers, phones and addresses of callers. Apart from the service, so that tests of the program need not load it. */

export const IPHONE =
  'Mozilla/5.0 (iPhone; CPU iPhone OS 17_5_1 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/17.5 Mobile/15E148 Safari/604.1';
export const PIXEL =
  'Mozilla/5.0 (Linux; Android 10; K) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/141.0.0.0 Mobile Safari/537.36';
export const DESKTOP =
  'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/141.0.0.0 Safari/537.36';

/** The SDK's device data for that iPhone. */
export const IPHONE_FINGERPRINT = {
  platform: 'IOS',
  osVersion: '17.5.1',
  deviceModel: 'iPhone15,2',
  locale: 'en_US',
};

let lastAddress = 0;
/** An address that no other test of this file uses. */
export function freshAddress(): string {
  lastAddress += 1;
  return `203.0.${Math.floor(lastAddress / 250) + 1}.${(lastAddress % 250) + 1}`;
}
