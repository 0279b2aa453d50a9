// Makes this process believe that it runs on another system: PLATFORM is its name.
// oxlint-disable-next-line node/no-process-env -- only the environment reaches a preloaded module
const { PLATFORM } = process.env
Object.defineProperty(process, 'platform', { value: PLATFORM })
if (PLATFORM === 'win32') {
  for (const name of ['getuid', 'geteuid', 'getgid', 'getegid', 'getgroups']) delete process[name]
}
