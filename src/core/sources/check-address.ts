import { SkillsError } from '../../errors.ts'
import { isSafeAddress } from '../../util/loopback-host.ts'

/** Refuses credentials in an address, and http to anything but this machine. */
export function checkAddress(url: URL, shown: string): void {
  if (url.username !== '' || url.password !== '') {
    throw sourceError(shown.replace(/\/\/[^/]*@/, '//…@'), 'it contains a user name')
  }
  if (!isSafeAddress(url)) throw sourceError(shown, 'expected https, or http on this machine')
}

const GIT_FORMS = 'git+https://host/repo.git or git+https://host/repo.git#ref:path'
const HTTP_FORMS =
  'https://host/file.tar.gz, https://host/path/SKILL.md, either with #sha256=…, https://host#name for a skill of a site, or https://github.com/owner/repo/tree/ref/path'

/** Forms of a source, by its scheme. */
const FORMS = new Map([
  ['github', 'github:owner/repo, github:owner/repo/path or github:owner/repo/path@ref'],
  ['file', 'file:///folder or file:///folder/file.tar.gz'],
  ['git+https', GIT_FORMS],
  ['git+file', GIT_FORMS],
  ['https', HTTP_FORMS],
  ['http', HTTP_FORMS],
  ['npm', 'npm:package, npm:@scope/package@1.0.0 or npm:package@latest#skill'],
  ['oci', 'oci:host/repository:1.0.0 or oci:host/repository@sha256:…'],
])

const ALL_FORMS =
  './folder, ./file.tar.gz, owner/repo, owner/repo/path@ref, https://host/file.tar.gz#sha256=…, https://host/path/SKILL.md, https://host#name, git+https://host/repo.git#ref:path, npm:package or oci:host/repository:tag'

export function sourceError(text: string, problem: string): SkillsError {
  const scheme = /^[a-z+]+(?=:)/.exec(text)?.[0] ?? ''
  const write = `Write ${FORMS.get(scheme) ?? ALL_FORMS}`
  // A word alone could be the name of a skill that an index has.
  const isName = /^[a-z0-9][a-z0-9._-]*$/i.test(text)
  return new SkillsError('usage/invalid', `Cannot install from "${text}": ${problem}`, {
    hint: isName ? `Type "skills search ${text}" to find a skill, or write ${ALL_FORMS}` : write,
  })
}
