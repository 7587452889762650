/** The bytes of the engine: the bundler puts them into the script of the thread. */
declare module '@jitl/quickjs-ng-wasmfile-release-sync/wasm' {
  const bytes: Uint8Array;
  export default bytes;
}
