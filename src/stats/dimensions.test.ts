import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import {
  BOUNDED,
  DIMENSIONS,
  fromNetworkCampaign,
  fromValue,
  toNetworkCampaign,
  toValue,
  valuesOf,
} from './dimensions.ts';

const NOTHING: Parameters<typeof valuesOf>[0] = {
  ...{ sandbox: 0, minute: '2026-01-31T23:59', kind: 'click', link_id: null, campaign_id: '', platform: '' },
  ...{
    method: '',
    visitor: '',
    country: '',
    referrer: '',
    utm: '',
    event_name: '',
    currency: '',
    amount: '',
  },
  ...{ cohort_day: '', n: 1, platform_version: '', app_version: '', inviter: null },
  ...{ network: '', network_campaign: '', network_campaign_name: '' },
};

describe('dimensions', () => {
  it('keep a bounded number of the values that visitors choose', () => {
    assert.deepEqual(
      [...BOUNDED.keys()],
      [
        ...['referrer', 'utmSource', 'utmMedium', 'utmCampaign', 'eventName'],
        ...['platformVersion', 'appVersion', 'networkCampaign', 'inviter'],
      ],
    );
  });

  it('have the values of a count, and none where it has no value but for links', () => {
    assert.deepEqual([...valuesOf(NOTHING)], [['link', '-']]);
    const utm = JSON.stringify({ source: 'a', medium: 'b', campaign: 'c' });
    const full = {
      ...NOTHING,
      link_id: 'l',
      campaign_id: 'k',
      method: 'm',
      country: 'DE',
      referrer: 'r',
      utm,
    };
    const values = valuesOf({
      ...{ ...full, event_name: '*', visitor: 'human' },
      ...{ platform_version: 'IOS 18', app_version: '1.2', inviter: 'i' },
      ...{ network: 'meta', network_campaign: '1 2' },
    });
    assert.deepEqual([...values.keys()], DIMENSIONS);
    assert.deepEqual(
      [...values.values()],
      [
        '=l',
        '=k',
        '=m',
        '=DE',
        '=r',
        '=a',
        '=b',
        '=c',
        '=*',
        '=IOS 18',
        '=1.2',
        '=human',
        '=meta',
        '=meta 1 2',
        '=i',
      ],
    );
  });

  it('name a campaign of a network by both, whatever its ID', () => {
    for (const campaignId of ['1', '1 2', ' ', '']) {
      const text = toNetworkCampaign('apple_ads', campaignId);
      assert.deepEqual(fromNetworkCampaign(text), { network: 'apple_ads', campaignId });
    }
  });

  it('tell any text from what stands for other values', () => {
    for (const text of ['*', '-', '=', 'a=b']) assert.equal(fromValue(toValue(text)), text);
    assert.notEqual(toValue('*'), '*');
  });
});
