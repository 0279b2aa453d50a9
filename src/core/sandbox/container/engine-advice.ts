/** How to get a container engine on one system. */
interface EngineAdvice {
  install: string
  start: Readonly<Record<'docker' | 'podman', string>>
}

const LINUX_ADVICE: EngineAdvice = {
  install:
    'Install podman with the package manager of this system, on Debian: apt-get install podman crun',
  start: { docker: 'Start the docker daemon', podman: 'Type: podman info' },
}

const MAC_ADVICE: EngineAdvice = {
  install:
    'Install Docker Desktop, or type: brew install podman && podman machine init && podman machine start',
  start: { docker: 'Start Docker Desktop', podman: 'Type: podman machine start' },
}

const WINDOWS_ADVICE: EngineAdvice = {
  install: 'Type "wsl --install", and install skills inside of that Linux',
  start: MAC_ADVICE.start,
}

const OTHER_ADVICE: EngineAdvice = {
  install: 'Install podman or docker, or set DOCKER_HOST to a machine that has it',
  start: LINUX_ADVICE.start,
}

/** Selects the advice for a system, by Node's name of it. */
export function adviseOnEngine(platform: NodeJS.Platform): EngineAdvice {
  if (platform === 'linux') return LINUX_ADVICE
  if (platform === 'darwin') return MAC_ADVICE
  return platform === 'win32' ? WINDOWS_ADVICE : OTHER_ADVICE
}
