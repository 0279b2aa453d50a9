import { spawn, spawnSync } from 'node:child_process'
import { chmodSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import { INHERITED_ENV } from '../../helpers/inherited-env.ts'
import { PROGRAM } from '../../helpers/built.ts'
import type { KubernetesObject, PodSpec } from './render-chart.ts'

/** The first container of a pod. */
export interface RunningContainer {
  /** Exit code; null after a signal that the process does not handle. */
  ended: Promise<number | null>
  stderr(): string
  /** Sends SIGTERM. */
  stop(): void
}

interface PodOptions {
  /** Name of the pod. */
  name: string
  /** Folder of the pod's own. */
  dir: string
  /** Files of the Secrets that the pod names. */
  secrets: Readonly<Record<string, Readonly<Record<string, string>>>>
  /** Replacements in arguments, for addresses of the test. */
  replace: Readonly<Record<string, string>>
  /** Folder with the command `skills`. */
  bin: string
}

/** Runs the containers of a pod of the chart on this machine, with its files in a folder. */
export class TestPod {
  readonly files: string
  #spec: PodSpec
  #options: PodOptions

  constructor({ spec }: KubernetesObject, options: PodOptions) {
    if (!spec.template) throw new Error('expected a template of pods')
    this.#spec = spec.template.spec
    this.#options = options
    this.files = join(options.dir, 'files')
  }

  /** Lays out the Secrets as a kubelet does for a group, and runs the init container. */
  copyFiles(): void {
    const { dir, secrets } = this.#options
    const given = join(dir, 'given')
    for (const folder of [given, this.files, this.#home]) mkdirSync(folder, { recursive: true })
    for (const name of this.#listSecrets()) {
      for (const [file, text] of Object.entries(secrets[name] ?? {})) {
        writeFileSync(join(given, file), text)
        chmodSync(join(given, file), 0o440)
      }
    }
    const [container] = this.#spec.initContainers
    const script = (container?.args[0] ?? '')
      .replaceAll('/run/given', given)
      .replaceAll('/etc/skills', this.files)
    const seed = container?.env.find(({ name }) => name === 'SEED')?.value ?? ''
    const SEED = seed.replace('$(POD)', this.#options.name)
    const { status, stderr } = spawnSync('sh', ['-ec', script], { env: { ...process.env, SEED } })
    if (status !== 0) throw new Error(String(stderr))
  }

  /** Starts the container. Signals are sent to its first process only, as in a pod. */
  start(): RunningContainer {
    const [node = '', ...program] = PROGRAM
    const args = this.#container.args.map((each) => this.#resolve(each))
    const child = spawn(node, [...program, ...args], {
      cwd: this.#options.dir,
      env: { ...INHERITED_ENV, ...this.#env },
    })
    let stderr = ''
    child.stderr.setEncoding('utf8').on('data', (text: string) => (stderr += text))
    child.stdout.resume()
    const ended = new Promise<number | null>((done) => child.on('close', (code) => done(code)))
    onTestFinished(async () => {
      child.kill('SIGKILL')
      await ended
    })
    return { ended, stderr: () => stderr, stop: () => child.kill('SIGTERM') }
  }

  /** Exit status of the startup probe, with other variables. */
  probe(env: Record<string, string> = {}): number | null {
    const [program = '', ...args] = this.#container.startupProbe?.exec?.command ?? []
    const PATH = `${this.#options.bin}:${process.env['PATH']}`
    return spawnSync(program, args, { env: { PATH, ...this.#env, ...env } }).status
  }

  get readinessPath(): string {
    return this.#container.readinessProbe?.httpGet.path ?? ''
  }

  get #container() {
    const [container] = this.#spec.containers
    if (!container) throw new Error('expected a container')
    return container
  }

  get #home(): string {
    return join(this.#options.dir, 'home')
  }

  get #env(): Record<string, string> {
    const { name: pod } = this.#options
    const entries = this.#container.env.map(({ name, value }) => [
      name,
      this.#resolve(value ?? pod),
    ])
    return { ...(Object.fromEntries(entries) as Record<string, string>), HOME: this.#home }
  }

  #resolve(text: string): string {
    let resolved = text.replace('/etc/skills', this.files)
    for (const [from, to] of Object.entries(this.#options.replace))
      resolved = resolved.replace(from, to)
    return resolved
  }

  #listSecrets(): string[] {
    const volume = this.#spec.volumes.find(({ name }) => name === 'given')
    const projected = volume?.['projected'] as
      | { sources: { secret: { name: string } }[] }
      | undefined
    return (projected?.sources ?? []).map(({ secret }) => secret.name)
  }
}
