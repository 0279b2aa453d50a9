/** A folder of a git repository at a reference. */
export interface GitAddress {
  url: string
  protocol: 'https' | 'file'
  /** Branch, tag or full commit id; the default branch if undefined. */
  ref: string | undefined
  /** Folder in the repository, with forward slashes. */
  folder: string | undefined
}

const REF = /^(?!-)[\w./@+-]{1,200}$/
const REPOSITORY = /^[A-Za-z0-9][A-Za-z0-9-]{0,38}\/(?!\.)[\w.-]{1,100}$/

/** True for a reference that git cannot take as an option, a range or a refspec. */
export function isGitReference(text: string): boolean {
  return REF.test(text) && !text.includes('..')
}

/** True for a name of a file or folder that stays in its parent on every system. */
export function isPlainSegment(segment: string): boolean {
  return !/^\.{0,2}$|^\.git$|[\\:\u0000-\u001f\u007f]/i.test(segment)
}

export function isPlainPath(path: string): boolean {
  return path.split('/').every(isPlainSegment)
}

/** The https address of `owner/name`; undefined if it is not the name of a repository. */
export function formatGithubUrl(repository: string): string | undefined {
  if (!REPOSITORY.test(repository)) return undefined
  return `https://github.com/${repository.replace(/\.git$/, '')}.git`
}
