export const fileTest = /^-[abcdefghkprsuwxGLNOS]$/;
export const textTest = /^-[nz]$/;
export const textCompare = /^(=|==|!=|<|>)$/;
export const numberCompare = /^-(eq|ne|lt|le|gt|ge)$/;
export const fileCompare = /^-(nt|ot|ef)$/;
