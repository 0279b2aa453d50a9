import { effect, signal } from '@preact/signals'

export type Theme = 'system' | 'light' | 'dark'

const KEY = 'skills.theme'
const THEMES: readonly Theme[] = ['system', 'light', 'dark']

export const theme = signal<Theme>(readTheme())

effect(() => {
  // The style sheet derives every colour from the scheme of the root element.
  document.documentElement.dataset['theme'] = theme.value
  try {
    localStorage.setItem(KEY, theme.value)
  } catch {
    // Storage may be off; the theme then lasts until the page is loaded again.
  }
})

export function switchTheme(): void {
  const next = (THEMES.indexOf(theme.value) + 1) % THEMES.length
  theme.value = THEMES[next] as Theme
}

function readTheme(): Theme {
  try {
    return THEMES.find((each) => each === localStorage.getItem(KEY)) ?? 'system'
  } catch {
    return 'system'
  }
}
