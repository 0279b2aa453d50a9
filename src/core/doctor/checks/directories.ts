import { accessSync, constants, statSync } from 'node:fs'
import { dirname } from 'node:path'
import type { DoctorCheck, CheckResult } from '../check.ts'

/** Folder for blobs, runs and the user's skills. */
export const dataCheck: DoctorCheck = {
  id: 'data-directory',
  title: 'Data folder',
  needed: true,
  run: async ({ config }) => checkWritable(config.directories.data),
}

/** Folder for content that may be deleted at any time. */
export const cacheCheck: DoctorCheck = {
  id: 'cache-directory',
  title: 'Cache folder',
  needed: true,
  run: async ({ config }) => checkWritable(config.directories.cache),
}

/** Checks that files can be created in a folder, or that the missing folder can be created. */
function checkWritable(dir: string): CheckResult {
  for (let path = dir; ; path = dirname(path)) {
    const stat = statSync(path, { throwIfNoEntry: false })
    if (!stat && path !== dirname(path)) continue
    const ok = stat?.isDirectory() === true && isWritable(path)
    const state = path === dir ? '' : ' (created on first use)'
    return {
      ok,
      detail: ok ? `${dir}${state}` : `cannot write to ${path}`,
      fix: `Make it writable with: chmod u+rwx "${path}"`,
    }
  }
}

function isWritable(dir: string): boolean {
  try {
    accessSync(dir, constants.W_OK | constants.X_OK)
    return true
  } catch {
    return false
  }
}
