/**
 * Examples from Apple's documentation of SKAdNetwork ("Verifying an install-validation postback"); their signatures are
 * valid. A postback counts once, so an app with this App Store ID gets each at most once.
 */
export const APP_STORE_ID = '525463029';

export const WINNING_POSTBACK = {
  version: '3.0',
  'ad-network-id': 'example123.skadnetwork',
  'campaign-id': 42,
  'transaction-id': '6aafb7a5-0170-41b5-bbe4-fe71dedf1e28',
  'app-id': 525463029,
  'attribution-signature':
    'MEYCIQD5eq3AUlamORiGovqFiHWI4RZT/PrM3VEiXUrsC+M51wIhAPMANZA9c07raZJ64gVaXhB9+9yZj/X6DcNxONdccQij',
  redownload: true,
  'source-app-id': 1234567891,
  'fidelity-type': 1,
  'conversion-value': 20,
  'did-win': true,
};

/** Version 4, which has a sequence index. */
export const FIRST_POSTBACK = {
  version: '4.0',
  'ad-network-id': 'com.example',
  'source-identifier': '5239',
  'app-id': 525463029,
  'transaction-id': '6aafb7a5-0170-41b5-bbe4-fe71dedf1e30',
  redownload: false,
  'source-domain': 'example.com',
  'fidelity-type': 1,
  'did-win': true,
  'conversion-value': 63,
  'postback-sequence-index': 0,
  'attribution-signature':
    'MEUCIGRmSMrqedNu6uaHyhVcifs118R5z/AB6cvRaKrRRHWRAiEAv96ne3dKQ5kJpbsfk4eYiePmrZUU6sQmo+7zfP/1Bxo=',
};
