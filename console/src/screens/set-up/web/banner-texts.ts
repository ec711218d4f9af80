/** What the preview says before somebody writes something better. */
export interface Words {
  readonly text: string;
  readonly button: string;
  readonly close: string;
}

export const LANGUAGES = [
  ['en', 'English', { text: 'Go on where you are, in the app', button: 'Open', close: 'Close' }],
  ['de', 'Deutsch', { text: 'In der App genau hier weiter', button: 'Öffnen', close: 'Schließen' }],
  ['es', 'Español', { text: 'Sigue justo aquí, en la app', button: 'Abrir', close: 'Cerrar' }],
  ['fr', 'Français', { text: 'Continuez ici même, dans l’appli', button: 'Ouvrir', close: 'Fermer' }],
  ['ja', '日本語', { text: '続きはアプリで', button: '開く', close: '閉じる' }],
  ['ar', 'العربية', { text: 'تابع من هنا في التطبيق', button: 'فتح', close: 'إغلاق' }],
] as const satisfies readonly (readonly [code: string, name: string, words: Words])[];

export type Language = (typeof LANGUAGES)[number][0];

export function wordsIn(language: Language): Words {
  return (LANGUAGES.find(([code]) => code === language) ?? LANGUAGES[0])[2];
}
