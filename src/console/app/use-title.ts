import { useEffect } from 'preact/hooks'

/** Names the page in the tab of the browser, and in its history. */
export function useTitle(title: string | undefined): void {
  useEffect(() => {
    if (title !== undefined) document.title = `${title} · skills`
  }, [title])
}
