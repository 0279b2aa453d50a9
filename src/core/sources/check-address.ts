import { SkillsError } from '../../errors.ts'
import { isSafeAddress } from '../../util/loopback-host.ts'

/** Refuses credentials in an address, and http to anything but this machine. */
export function checkAddress(url: URL, shown: string): void {
  const forms = /^https?:/.test(shown) ? HTTP_FORMS : undefined
  if (url.username !== '' || url.password !== '') {
    throw sourceError(shown.replace(/\/\/[^/]*@/, '//…@'), 'it contains a user name', forms)
  }
  if (!isSafeAddress(url)) {
    throw sourceError(shown, 'expected https, or http on this machine', forms)
  }
}

export const HTTP_FORMS =
  'https://host/file.tar.gz, https://host/path/SKILL.md, either with #sha256=…, https://host#name for a skill of a site, or https://github.com/owner/repo/tree/ref/path'

const ALL_FORMS =
  './folder, ./file.tar.gz, owner/repo, owner/repo/path@ref, https://host/file.tar.gz#sha256=…, https://host/path/SKILL.md, https://host#name, git+https://host/repo.git#ref:path, npm:package or oci:host/repository:tag'

/** An error for a text that is no source; `forms` are those of its kind. */
export function sourceError(text: string, problem: string, forms = ALL_FORMS): SkillsError {
  // A word alone could be the name of a skill that an index has.
  const isName = /^[a-z0-9][a-z0-9._-]*$/i.test(text)
  return new SkillsError('usage/invalid', `Cannot install from "${text}": ${problem}`, {
    hint: isName
      ? `Type "skills search ${text}" to find a skill, or write ${ALL_FORMS}`
      : `Write ${forms}`,
  })
}
