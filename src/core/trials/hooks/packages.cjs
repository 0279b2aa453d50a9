// Packages that the machine of a trial lacks: clients of HTTP that work, and others that accept everything.
'use strict'
const Module = require('node:module')
const path = require('node:path')
const { pathToFileURL } = require('node:url')

/** Every property, call and element gives another one. */
function createAnything() {
  return new Proxy(function () {}, {
    get(target, name) {
      if (name === 'then') return undefined
      if (name === 'prototype') return target.prototype
      if (name === Symbol.iterator) return function* () {}
      if (typeof name === 'symbol') return () => '1'
      return name === 'toString' || name === 'toJSON' ? () => '1' : createAnything()
    },
    apply: (_, __, values) =>
      values.length === 1 && typeof values[0] === 'function' ? values[0] : createAnything(),
    construct: () => createAnything(),
  })
}

async function send({ method, url, data, headers, params }) {
  const address = new URL(url)
  for (const [name, value] of Object.entries(params ?? {})) address.searchParams.set(name, value)
  const isPlain = typeof data === 'string' || ArrayBuffer.isView(data)
  const body = data === undefined || isPlain ? data : JSON.stringify(data)
  const asked = { method, headers, ...(body !== undefined && { body }) }
  const answer = await fetch(address, asked)
  const text = await answer.text()
  let parsed = text
  try {
    parsed = JSON.parse(text)
  } catch {}
  return { data: parsed, body: text, status: answer.status, headers: {}, text: async () => text }
}

/** The calls of axios, got and superagent. */
function createClient() {
  const call = (url, options = {}) => {
    const asked = typeof url === 'string' ? { ...options, url } : url
    const { method = 'GET', data = asked.body ?? asked.json } = asked
    return send({ ...asked, method, data })
  }
  for (const method of ['get', 'delete', 'head']) {
    call[method] = (url, options) => send({ ...options, method: method.toUpperCase(), url })
  }
  for (const method of ['post', 'put', 'patch']) {
    call[method] = (url, data, options) =>
      send({ ...options, method: method.toUpperCase(), url, data })
  }
  return Object.assign(call, { request: call, default: call, create: createClient })
}

const CLIENTS = new Map([
  ['axios', createClient],
  ['got', createClient],
  ['node-fetch', () => Object.assign((...values) => fetch(...values), { default: fetch })],
  ['undici', () => ({ fetch, request: fetch })],
])

exports.createPackage = (name) => CLIENTS.get(name)?.() ?? createAnything()

/** True for the name of a package, not a path and not a module of Node. */
exports.isPackage = (name) => /^(?:@[\w.-]+\/)?[\w-][\w.-]*(?:\/|$)/.test(name)

const load = Module._load
Module._load = function (name, ...rest) {
  try {
    return load.call(this, name, ...rest)
  } catch (error) {
    if (error.code !== 'MODULE_NOT_FOUND' || !exports.isPackage(name)) throw error
    return exports.createPackage(name)
  }
}
Module.register?.(pathToFileURL(path.join(__dirname, 'packages.mjs')))
