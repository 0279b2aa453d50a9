import { SkillsError } from '../../errors.ts'

const LOOPBACK = /^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])$/

/** Refuses credentials in an address, and http to anything but this machine. */
export function checkAddress(url: URL, shown: string): void {
  if (url.username !== '' || url.password !== '') {
    throw sourceError(shown.replace(/\/\/[^/]*@/, '//…@'), 'it contains a user name')
  }
  const isAllowed =
    url.protocol === 'https:' || (url.protocol === 'http:' && isLoopbackHost(url.hostname))
  if (!isAllowed) throw sourceError(shown, 'expected https, or http on this machine')
}

export function isLoopbackHost(hostname: string): boolean {
  return LOOPBACK.test(hostname)
}

export function sourceError(text: string, problem: string): SkillsError {
  return new SkillsError('usage/invalid', `Cannot install from "${text}": ${problem}`, {
    hint: 'Write ./folder, ./file.tar.gz, https://host/file.tar.gz#sha256=…, https://host#name, github:owner/repo/path@ref, git+https://host/repo.git#ref:path, npm:package or oci:host/repository:tag',
  })
}
