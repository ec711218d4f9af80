/** The app of this folder with the packed packages, React Native's own Jest preset and React Navigation. */
import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { act, fireEvent, render, screen, waitFor } from '@testing-library/react-native';
import { AppState, Linking, Platform, Share } from 'react-native';
import App, { throughline } from '../App';

const LINK = 'https://go.example.com/l/spring';
const requests: { path: string; body: Record<string, unknown> }[] = [];
let deferred: object | null = null;

function answerOf(path: string, body: Record<string, unknown>): object {
  if (path === '/v1/sdk/events')
    return {
      results: (body.events as { eventId: string }[]).map(({ eventId }) => ({ status: 201, eventId })),
    };
  if (path === '/v1/sdk/links') return { shortCode: 'made', shortUrl: 'https://go.example.com/l/made' };
  if (path === '/v1/sdk/resolve')
    return {
      deepLinkPath: '/shoes/42',
      deepLinkParams: { size: 43 },
      isDeferred: false,
      campaignId: 'spring',
    };
  return {
    ...{ attributed: deferred !== null, method: 'FINGERPRINT', installId: body.installId, clickId: null },
    ...{ campaignId: null, confidence: '0.9', deepLinkPayload: deferred, metadata: {} },
  };
}

const fetch = async (url: string, { body }: { body: string }) => {
  const path = url.replace('https://go.example.com', '');
  requests.push({ path, body: JSON.parse(body) });
  const text = JSON.stringify(answerOf(path, JSON.parse(body)));
  return { status: 200, headers: { get: () => null }, text: async () => text };
};

/** Calls what the app registered with the mock of a native module. */
function emit(mock: unknown, event: unknown): void {
  for (const [, listener] of (mock as jest.Mock<(type: string, listener: (event: unknown) => void) => void>)
    .mock.calls)
    listener(event);
}

const sent = (path: string) => requests.filter((request) => request.path === path).map(({ body }) => body);

beforeEach(() => {
  Object.assign(globalThis, { fetch });
  jest.mocked(Linking.addEventListener).mockClear();
  jest.mocked(AppState.addEventListener).mockClear();
  jest.spyOn(console, 'warn').mockImplementation(() => {});
  requests.length = 0;
  deferred = null;
});
afterEach(async () => {
  await throughline.reset();
});

describe('an app', () => {
  it('shows the screen of the link that started it, then of the next, and sends a purchase', async () => {
    jest.mocked(Linking.getInitialURL).mockResolvedValue(LINK);
    await render(<App />);
    await screen.findByText('Shoes 42 in 43');
    const share = jest
      .spyOn(Share, 'share')
      .mockResolvedValue({ action: 'sharedAction', activityType: undefined });
    await fireEvent.press(screen.getByRole('button', { name: /^share$/i }));
    await waitFor(() => expect(JSON.stringify(share.mock.calls)).toContain('https://go.example.com/l/made'));
    await fireEvent.press(screen.getByRole('button', { name: /^buy$/i }));
    await act(async () => emit(AppState.addEventListener, 'background'));
    await act(async () => await throughline.flush());
    expect(sent('/v1/sdk/events')).toMatchObject([
      {
        events: [
          {
            ...{ eventName: 'purchase', properties: { item_id: '42' }, transactionId: 'order-1' },
            revenue: { amount: '19.99', currency: 'EUR' },
          },
        ],
      },
    ]);

    await act(async () => emit(Linking.addEventListener, { url: 'shop://welcome?code=own' }));
    await screen.findByText('Welcome own');
    await screen.unmount();
  });

  it('sends what the phone knows, and shows the screen of the deferred link', async () => {
    jest.mocked(Linking.getInitialURL).mockResolvedValue(null);
    deferred = { deepLinkPath: '/welcome', deepLinkParams: { code: 'x' }, isDeferred: true };
    await render(<App />);
    await screen.findByText('Welcome x');
    const [install] = sent('/v1/sdk/install');
    const { width, height, density } = { width: 750, height: 1334, density: 2 };
    expect(install?.fingerprint).toMatchObject({
      ...{ platform: Platform.OS.toUpperCase(), appVersion: '4.2.0' },
      ...{ screenWidth: width * density, screenHeight: height * density, screenDensity: density },
      ...{ timezone: expect.any(String), locale: expect.any(String) },
      ...(Platform.OS === 'ios' && { deviceModel: 'iPhone15,2' }),
    });
    expect(install?.installReferrer).toBe(Platform.OS === 'android' ? 'svc_click_id=play' : undefined);
    await screen.unmount();
  });
});
