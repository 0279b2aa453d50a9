import { SkillsError } from '../../../errors.ts'
import { isLoopbackHost } from '../../../util/loopback-host.ts'
import type { TargetKind } from '../source-kind.ts'

/** A `skills serve`, to which skills are published; they are installed from sites and archives. */
export const server: TargetKind = {
  schemes: { 'https://': 'https://skills.example.com', 'http://': 'http://127.0.0.1:8080' },
  options: ['tokenFile'],
  async open(request) {
    const { text } = request
    if (request.isSigned) {
      throw new SkillsError('usage/invalid', 'A server stores no signatures', {
        hint: 'Omit --sign, or publish to a site',
      })
    }
    checkServerAddress(text)
    const { openServerTarget } = await import('../../publishing/targets/server-target.ts')
    return openServerTarget(await request.openServer(text), text)
  },
}

/** A token is sent to this address: https, or this machine; no password in the address. */
function checkServerAddress(text: string): void {
  const url = URL.canParse(text) ? new URL(text) : undefined
  const isLocal = url !== undefined && isLoopbackHost(url.hostname)
  if (url?.username === '' && url.password === '' && (url.protocol === 'https:' || isLocal)) return
  throw new SkillsError('usage/invalid', 'The address of the server is not valid', {
    hint: 'Write it as https://skills.example.com; the token goes into SKILLS_TOKEN or --token-file',
  })
}
