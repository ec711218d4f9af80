/**
 * Names this process of the app for core, so that further reports of the URL that started it are the same tap. No value of
 * React Native differs in each process and also survives a reload of the JavaScript (`rnStartupTiming.startTime` is set anew
 * at each), so a reload makes a new one.
 */
export const LAUNCH_ID: string = `${Date.now().toString(36)}-${Math.random().toString(36).slice(2)}`;
