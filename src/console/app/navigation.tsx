import { Link } from './link.tsx'
import { currentLocation } from './location.ts'
import { findPage, PAGES } from './pages.ts'
import { switchTheme, theme } from './theme.ts'
import { activeRuns, liveState, type LiveState } from './live-events.ts'

export function Navigation({ onSearch, onKeys }: { onSearch: () => void; onKeys: () => void }) {
  const current = findPage(currentLocation.value.path)?.page.id
  return (
    <header class="navigation">
      <Link to="/" class="brand">
        skills
      </Link>
      <nav aria-label="Pages">
        <ul>
          {PAGES.filter(({ isInNavigation }) => isInNavigation).map(({ id, path, title }) => (
            <li key={id}>
              <Link to={path} current={id === current}>
                {title}
              </Link>
            </li>
          ))}
        </ul>
      </nav>
      <LiveIndicator />
      <button type="button" onClick={onSearch} aria-keyshortcuts="Control+K Meta+K">
        Go to…
      </button>
      <button type="button" class="quiet" onClick={onKeys} aria-keyshortcuts="?" aria-label="Keys">
        ?
      </button>
      <button type="button" class="quiet" onClick={switchTheme} aria-keyshortcuts="t">
        Theme: {theme.value}
      </button>
    </header>
  )
}

const LABELS: Readonly<Record<LiveState, string>> = {
  connecting: 'connecting',
  live: 'live',
  paused: 'paused',
  lost: 'not connected',
}

/** Shows whether changes of the server appear at once, and the number of its runs. */
function LiveIndicator() {
  const { size } = activeRuns.value
  const state = liveState.value
  const runs = size === 1 ? '1 run' : `${size} runs`
  return (
    <span class="live" data-state={state}>
      {LABELS[state]}
      {state === 'live' && size > 0 && ` · ${runs}`}
    </span>
  )
}
