/** The app that the user looked at last, on this machine. */
const KEY = 'throughline.app';

export function lastApp(): string | null {
  return localStorage.getItem(KEY);
}

export function rememberApp(appId: string): void {
  localStorage.setItem(KEY, appId);
}
