// Every way to get a result from Python, each executed for real: all arms alternate in one loop.
import { execFileSync, spawn } from 'node:child_process'
import { openRuntime, runTrivialCode } from '../runs/library.js'
import { openOtherSandbox } from './other-sandbox.js'
import { createEchoFolder, echo } from './echo.js'
import { startServe } from '../serve/start.js'

/** Imports that a harness needs before it can run anything. */
export const IMPORTS = 'import json, traceback, importlib, linecache, types, threading, resource'

/** Arms by name; `close` ends their processes. */
export async function openArms() {
  const ask = 'import sys; print(sys.executable)'
  const found = execFileSync('python3', ['-c', ask], { encoding: 'utf8' }).trim()
  // Mounted as our sandbox does: the interpreter's folder may be outside of /usr.
  const python = execFileSync('realpath', [found], { encoding: 'utf8' }).trim()
  const bare = [python, '-I', '-S', '-c']
  const cold = await openRuntime({ 'run.backend': 'namespaces' })
  const bubblewrap = await openRuntime({ 'run.backend': 'bubblewrap' })
  const warm = await openRuntime({}, { warm: true })
  const separate = await openRuntime({ 'run.warm': 'aslr' }, { warm: true })
  const server = await startServe(createEchoFolder())
  const other = await openOtherSandbox(`${bare.join(' ')} pass`)
  let count = 0
  const overHttp = async () => {
    const text = String((count += 1))
    if (!(await echo(server.port, text))) throw new Error('The server refused a run')
  }
  await waitUntilWarm(overHttp)
  const arms = {
    'bare python': async () => await runSpawned([...bare, 'pass']),
    'bare python, harness imports': async () => await runSpawned([...bare, IMPORTS]),
    'node spawn of python': async () => await runSpawned([found, '-c', 'pass']),
    'bwrap alone': async () => await runSpawned(['bwrap', ...BWRAP, ...bare, 'pass']),
    'cold, library': async () => await runTrivialCode(cold, 'cold'),
    'cold by bubblewrap, library': async () => await runTrivialCode(bubblewrap, 'cold'),
    'warm, library': async () => await runTrivialCode(warm, 'warm'),
    'warm with run.warm = "aslr", library': async () => await runTrivialCode(separate, 'warm'),
    'warm, JSON-RPC over HTTP': overHttp,
    ...(other.run && { 'sandbox-runtime': async () => await runSpawned(other.run) }),
  }
  const close = async () => {
    await Promise.all([server.stop(), warm.stop(), separate.stop(), other.close?.()])
  }
  return { arms, close, server, leftOut: other.problem }
}

const BWRAP = [
  '--ro-bind / / --proc /proc --dev /dev --unshare-all --die-with-parent --new-session --'.split(
    ' ',
  ),
].flat()

/** A server starts its zygote when it is idle. */
async function waitUntilWarm(call) {
  await call()
  await new Promise((resolve) => setTimeout(resolve, 2000))
  for (let at = 0; at < 10; at++) await call()
}

function runSpawned([program, ...words]) {
  return new Promise((resolve, reject) => {
    const child = spawn(program, words, { stdio: 'ignore' })
    child.on('error', reject)
    child.on('exit', (status) => {
      if (status === 0) resolve()
      else reject(new Error(`"${program}" ended with ${status}`))
    })
  })
}
