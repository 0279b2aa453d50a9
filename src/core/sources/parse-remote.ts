import { SkillsError } from '../../errors.ts'
import { formatGithubUrl, isGitReference, isPlainPath } from '../git/git-address.ts'
import { sourceError } from './check-address.ts'
import type { GitPlace, NpmPlace, OciPlace, SitePlace } from './source-place.ts'

const SITE = /^#([A-Za-z0-9][\w.-]{0,127})(?:@([0-9A-Za-z][\w.+-]{0,127}))?$/
const NPM =
  /^npm:((?:@[a-z0-9~][a-z0-9._~-]*\/)?[a-z0-9~][a-z0-9._~-]*)(?:@([0-9A-Za-z][\w.+-]{0,127}))?(?:#([A-Za-z0-9][\w.-]{0,127}))?$/
const OCI_HOST = /^(?:\[[0-9a-f:]+\]|[A-Za-z0-9](?:[A-Za-z0-9.-]*[A-Za-z0-9])?)(?::\d{1,5})?$/
const OCI_PATH =
  /^[a-z0-9]+(?:(?:\.|_|__|-+)[a-z0-9]+)*(?:\/[a-z0-9]+(?:(?:\.|_|__|-+)[a-z0-9]+)*)*$/
const OCI_REFERENCE = /^(?:@(sha256:[0-9a-f]{64})|:(\w[\w.-]{0,127}))$/

/** Parses `github:owner/repo[/path][@ref]`. */
export function parseGithub(text: string): GitPlace {
  const [location = '', ...refs] = text.slice('github:'.length).split('@')
  const [owner = '', repository = '', ...folders] = location.split('/')
  const url = formatGithubUrl(`${owner}/${repository}`)
  if (url === undefined) throw sourceError(text, 'expected github:owner/repo/path@ref')
  const ref = refs.length === 0 ? undefined : refs.join('@')
  const folder = folders.length === 0 ? undefined : folders.join('/')
  return createGitPlace(text, { url, protocol: 'https', ref, folder })
}

/** Parses `git+https://host/repo.git#ref:path`, and the same with `git+file`. */
export function parseGitUrl(text: string): GitPlace {
  const [location = '', ...rest] = text.slice('git+'.length).split('#')
  if (!URL.canParse(location)) throw sourceError(text, 'it is not a valid URL')
  const url = new URL(location)
  if (url.username !== '' || url.password !== '') {
    const shown = text.replace(/\/\/[^/]*@/, '//…@')
    throw sourceError(shown, 'it contains a user name; git asks its credential helper')
  }
  if (url.search !== '' || rest.length > 1) throw sourceError(text, 'expected #ref:path at its end')
  const [ref = '', ...folders] = (rest[0] ?? '').split(':')
  return createGitPlace(text, {
    url: url.href,
    protocol: url.protocol === 'file:' ? 'file' : 'https',
    ref: ref || undefined,
    folder: folders.join(':') || undefined,
  })
}

function createGitPlace(text: string, address: Omit<GitPlace, 'type'>): GitPlace {
  const { ref, folder } = address
  if (ref !== undefined && !isGitReference(ref)) {
    throw sourceError(text, `"${ref}" is not a branch, a tag or a commit`)
  }
  if (folder !== undefined && !isPlainPath(folder)) {
    throw sourceError(text, `"${folder}" is not a folder of the repository`)
  }
  return { type: 'git', ...address }
}

/** Parses `https://host/base#name@version`. */
export function parseSite(url: URL, text: string): SitePlace {
  const [, name, version] = SITE.exec(url.hash) ?? []
  if (name === undefined) {
    throw sourceError(
      text,
      'its fragment is neither the name of a skill nor "#sha256=" and 64 lower-case hexadecimal digits',
    )
  }
  if (url.search !== '') throw sourceError(text, 'the address of a site has no query')
  const base = new URL(url)
  base.hash = ''
  if (!base.pathname.endsWith('/')) base.pathname += '/'
  return { type: 'site', url: base, name, version }
}

/** Parses `npm:package[@version][#skill]`. */
export function parseNpm(text: string): NpmPlace {
  const [, name, version, skill] = NPM.exec(text) ?? []
  if (name === undefined)
    throw sourceError(text, 'expected npm:package@version#skill, with an exact version or a tag')
  return { type: 'npm', package: name, version, skill }
}

/** Parses `oci:host[:port]/repository:tag` and `oci:host[:port]/repository@sha256:…`. */
export function parseOci(text: string): OciPlace {
  const [registry = '', ...rest] = text.slice('oci:'.length).split('/')
  const path = rest.join('/')
  const repository = /^[^:@]*/.exec(path)?.[0] ?? ''
  const [, digest, tag] = OCI_REFERENCE.exec(path.slice(repository.length)) ?? []
  const reference = digest ?? tag
  if (reference === undefined || !isOciHost(registry) || !OCI_PATH.test(repository)) {
    throw sourceError(text, 'expected oci:host/repository:tag or oci:host/repository@sha256:…')
  }
  return { type: 'oci', registry, repository, reference }
}

/** Parses `oci:host[:port]/repository`, without a tag: the version of a skill is the tag. */
export function parseOciRepository(text: string): Pick<OciPlace, 'registry' | 'repository'> {
  const [registry = '', ...rest] = text.slice('oci:'.length).split('/')
  const repository = rest.join('/')
  if (isOciHost(registry) && OCI_PATH.test(repository)) return { registry, repository }
  throw new SkillsError('usage/invalid', `"${text}" is not a repository of a registry`, {
    hint: 'Write it as oci:host/owner/name, in lower case and without a tag',
  })
}

/** True for a host that can be in an address: `1.2.3.999` and port 99999 cannot. */
function isOciHost(text: string): boolean {
  return OCI_HOST.test(text) && URL.canParse(`https://${text}/`)
}
