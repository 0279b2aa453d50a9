import { chmodSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { chooseLinuxBackend } from '../../../../src/core/sandbox/linux/choose-launcher.ts'
import { createFolder } from '../../../helpers/skills.ts'

function pathWithBubblewrap(): string {
  const folder = createFolder()
  writeFileSync(join(folder, 'bwrap'), '#!/bin/sh\n')
  chmodSync(join(folder, 'bwrap'), 0o755)
  return folder
}

function choose(
  settings: Record<string, string>,
  { uid = 1000, PATH = pathWithBubblewrap() } = {},
) {
  const spy = vi.spyOn(process, 'getuid').mockReturnValue(uid)
  onTestFinished(() => spy.mockRestore())
  return chooseLinuxBackend({ PATH }, (name) => settings[name])
}

const APPARMOR = { 'kernel.apparmor_restrict_unprivileged_userns': '1' }

describe('the backend of "auto"', () => {
  it('needs no other program, even if bubblewrap is installed', () => {
    expect(choose({})).toEqual({ name: 'namespaces', reason: 'it needs no other program' })
  })

  it('is bubblewrap where only that program may create namespaces', () => {
    for (const settings of [APPARMOR, { 'kernel.unprivileged_userns_clone': '0' }]) {
      const { name, reason } = choose(settings)
      expect(name).toBe('bubblewrap')
      expect(reason).toMatch(/^kernel\.\w+ = [01] denies namespaces to other programs$/)
    }
  })

  it('is not bubblewrap if that is denied as well, or not installed', () => {
    expect(choose({ 'user.max_user_namespaces': '0' }).name).toBe('namespaces')
    expect(choose(APPARMOR, { PATH: createFolder() }).name).toBe('namespaces')
  })

  it('needs no permission for root', () => {
    expect(choose(APPARMOR, { uid: 0 }).name).toBe('namespaces')
  })
})
