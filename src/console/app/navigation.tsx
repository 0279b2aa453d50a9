import { Link } from './link.tsx'
import { LiveIndicator } from './live-indicator.tsx'
import { currentLocation } from './location.ts'
import { findPage, PAGES } from './pages.ts'
import { switchTheme, theme } from './theme.ts'

interface NavigationProps {
  onSearch: () => void
  onKeys: () => void
}

export function Navigation({ onSearch, onKeys }: NavigationProps) {
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
