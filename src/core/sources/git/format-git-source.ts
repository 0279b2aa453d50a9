import type { GitAddress } from '../../git/git-address.ts'
import { parseRemoteSource } from '../skill-source.ts'
import { describeGitPlace } from './git-text.ts'

type RepositoryFolder = Pick<GitAddress, 'url' | 'ref' | 'folder'>

/** The text that is parsed as this place; undefined if no source can name it. */
export function formatGitSource(place: RepositoryFolder): string | undefined {
  const { url, ref = '', folder } = place
  // A folder with "@" is not readable in the short form.
  const full = `git+${url}#${ref}${folder === undefined ? '' : `:${folder}`}`
  return [describeGitPlace(place, folder), full].find((text) => isSamePlace(text, place))
}

function isSamePlace(text: string, { url, ref, folder }: RepositoryFolder): boolean {
  try {
    const place = parseRemoteSource(text)
    return (
      place?.type === 'git' && place.url === url && place.ref === ref && place.folder === folder
    )
  } catch {
    return false
  }
}
