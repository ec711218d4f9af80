/** The user's own account: sessions, password, theme, and the ways out. */
import { getRouteApi } from '@tanstack/react-router';
import { useState } from 'react';
import { Picker } from '../../components/menu.tsx';
import { Head, Section } from '../../components/page.tsx';
import { chooseTheme, chosenTheme, THEMES } from '../../components/theme.ts';
import { Leaving } from './leaving.tsx';
import { Password } from './password.tsx';
import { Sessions } from './sessions.tsx';

const route = getRouteApi('/$appId');

export function AccountPage() {
  const { session } = route.useRouteContext();
  const { name, email, isEmailProven, isOperator } = session.user;
  return (
    <>
      <Head title="Account" />
      <p className="wrap-anywhere">
        <b>{name}</b>, {email}
      </p>
      <p className="meta">
        {isEmailProven ? 'The email is proven.' : 'The email is not proven.'}
        {!isEmailProven &&
          !isOperator &&
          ' To prove it, which operators need, sign in by OpenID Connect or open an address that is mailed to you.'}
        {isOperator && ' You are an operator of the service.'}
      </p>
      <Sessions />
      <Password session={session} />
      <ThemeChoice />
      <Leaving session={session} />
    </>
  );
}

function ThemeChoice() {
  const [theme, setTheme] = useState(chosenTheme);
  return (
    <Section title="Theme">
      <div className="flex flex-wrap items-center gap-3 pt-3">
        <Picker
          label="Theme"
          value={theme}
          options={THEMES}
          onPick={(picked) => {
            chooseTheme(picked);
            setTheme(picked);
          }}
        />
        <span className="meta">Kept in this browser.</span>
      </div>
    </Section>
  );
}
