/**
 * Names of the module `runtime` inside a run, by language; `runtime` is the module itself. A test
 * compares them with the guest.
 */
export const RUNTIME_API = {
  python: {
    runtime: ['blobs', 'log', 'progress'],
    'runtime.blobs': [
      'open',
      'path',
      'read_bytes',
      'read_json',
      'read_text',
      'write_bytes',
      'write_file',
      'write_json',
      'write_text',
    ],
    'runtime.log': ['debug', 'error', 'info', 'warning'],
  },
  javascript: {
    runtime: ['blobs', 'log', 'progress'],
    'runtime.blobs': [
      'openRead',
      'openWrite',
      'path',
      'readBytes',
      'readJson',
      'readText',
      'writeBytes',
      'writeFile',
      'writeJson',
      'writeText',
    ],
    'runtime.log': ['debug', 'error', 'info', 'warn', 'warning'],
  },
  shell: {
    shell: [
      'arg',
      'args',
      'blob_path',
      'blob_read',
      'blob_write',
      'blob_write_file',
      'fail',
      'json',
      'log_debug',
      'log_error',
      'log_info',
      'log_warning',
      'progress',
    ],
  },
} as const satisfies Readonly<Record<string, Readonly<Record<string, readonly string[]>>>>

/** Names of a module; undefined if the module does not exist. */
export function listRuntimeNames(
  language: keyof typeof RUNTIME_API,
  module: string,
): readonly string[] | undefined {
  const modules: Readonly<Record<string, readonly string[]>> = RUNTIME_API[language]
  return Object.hasOwn(modules, module) ? modules[module] : undefined
}
