export interface ResponseWatch {
  /** The whole response was read, or its reader is gone. */
  onEnd(): void;
  /** The reader is gone; `onEnd` was called before. */
  onLost?: (() => void) | undefined;
}

/** The same response, watched until it is over. */
export function watchResponse(response: Response, { onEnd, onLost }: ResponseWatch): Response {
  if (!response.body) {
    onEnd();
    return response;
  }
  const { readable, writable } = new TransformStream<Uint8Array, Uint8Array>();
  void response.body.pipeTo(writable).then(onEnd, () => {
    onEnd();
    onLost?.();
  });
  return new Response(readable, response);
}
