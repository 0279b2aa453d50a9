import { SkillsError } from '../../errors.ts'
import { isSafeAddress } from '../../util/loopback-host.ts'

/** Refuses credentials in an address, and http to anything but this machine. */
export function checkAddress(url: URL, shown: string): void {
  if (url.username !== '' || url.password !== '') {
    throw sourceError(shown.replace(/\/\/[^/]*@/, '//…@'), 'it contains a user name')
  }
  if (!isSafeAddress(url)) throw sourceError(shown, 'expected https, or http on this machine')
}

export function sourceError(text: string, problem: string): SkillsError {
  return new SkillsError('usage/invalid', `Cannot install from "${text}": ${problem}`, {
    hint: 'Write ./folder, ./file.tar.gz, https://host/file.tar.gz#sha256=…, https://host#name, github:owner/repo/path@ref, git+https://host/repo.git#ref:path, npm:package or oci:host/repository:tag',
  })
}
